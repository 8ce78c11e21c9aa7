/**
 * The rules as one module: what is queried, what is concluded, and the functions that conclude it. It is built into a file of its own whose
 * SHA-256 each pack names, so that rules of one version cannot be changed unnoticed. What is exported here is all that a verdict depends
 * on.
 */
export { rulesOf } from '../core/assessor.ts'
export { RULES } from './definition.ts'
