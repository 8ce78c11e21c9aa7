/**
 * The rules as one module: questions, conclusions, and the functions that conclude. It is built into a file whose
 * SHA-256 each pack names, so that rules of one version cannot be changed unnoticed. Its exports are everything that
 * a verdict depends on.
 */
export { rulesOf } from '../../core/conclusion/assessor.ts'
export { RULES } from './definition.ts'
