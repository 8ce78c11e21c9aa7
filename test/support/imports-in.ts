/** The specifiers that a text imports from, of types as well: who reads a file has to read what it takes its types from. */
export function importsIn(text: string): string[] {
  const statements =
    /^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"\n]+)['"]|^import\s*['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]/gm
  return [...text.matchAll(statements)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
}
