import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build, type Plugin } from 'vite'

/** Where the geometry of others is kept, as `npm run geometry` writes it. */
export const GEOMETRY = 'main/core/geo/packages.js'

/** What we use of it. */
const USED = `
export { geoArea, geoAzimuthalEqualArea, geoCircle, geoClipRectangle, geoDistance, geoEqualEarth, geoInterpolate, geoPath } from 'd3-geo'
export { DISTANCE, WGS84 } from 'geodesic-on-wgs84'
`
const PACKAGES = [
  ['d3-geo', 'LICENSE'],
  ['d3-array', 'LICENSE'],
  ['geographiclib-geodesic', 'LICENSE.txt'],
] as const
const ELEMENTARY = '../base/elementary.ts'

/** geographiclib-geodesic is a concatenation of scripts: those that solve for distances, without lines, areas and its wrapper. */
function geodesicScripts(): string {
  const whole = readFileSync(resolve('node_modules/geographiclib-geodesic/geographiclib-geodesic.js'), 'utf8')
  const from = whole.indexOf('var geodesic = {}')
  const to = whole.indexOf('/*\n * GeodesicLine.js')
  if (from < 0 || to < from) throw new Error('geographiclib-geodesic has other parts than those known')
  return `${whole.slice(from, to)}\nexport const { DISTANCE, WGS84 } = geodesic.Geodesic`
}

const sources: Plugin = {
  name: 'geometry',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('used-geometry') ? '\0used' : id === 'geodesic-on-wgs84' ? `\0${id}` : null),
  load: (id) => (id === '\0used' ? USED : id === '\0geodesic-on-wgs84' ? geodesicScripts() : null),
}

/**
 * The code of d3-geo and geographiclib-geodesic that we use, as one module in which `Math` is our own: with the engine’s, maps and distances
 * would differ in their last bits from engine to engine, and with them what a verifier draws again. test/geo/packages.test.ts fails when
 * the file is stale.
 */
export async function writtenGeometry(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    envDir: false,
    plugins: [sources],
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      lib: { entry: 'used-geometry', formats: ['es'], fileName: 'packages' },
      rollupOptions: { output: { comments: false } },
    },
  })
  const chunk = [built].flat().flatMap((one) => ('output' in one ? one.output : []))[0]
  if (chunk?.type !== 'chunk' || chunk.imports.length > 0) throw new Error('the geometry is not one module')
  const notices = PACKAGES.map(([name, license]) => {
    const { version } = JSON.parse(readFileSync(resolve(`node_modules/${name}/package.json`), 'utf8')) as {
      version: string
    }
    return `${name} ${version}\n\n${readFileSync(resolve(`node_modules/${name}/${license}`), 'utf8').trim()}`
  })
  return `// Written by \`npm run geometry\`; see test/support/write-geometry.ts. \`Math\` is not the engine's.
import { portableMath as Math } from '${ELEMENTARY}'
/*
${notices.join('\n\n')}
*/
${chunk.code.replace(/^\/\/ .*\n/gm, '')}`
}

if (process.argv[1]?.endsWith('write-geometry.ts') === true) writeFileSync(resolve(GEOMETRY), await writtenGeometry())
