import fc from 'fast-check'

/**
 * Properties take the same values in every run, so that a run of a commit says something about the commit. Other values are looked for on
 * purpose, with BAREWITNESS_PROPERTY_SEED=random or with the seed that a failure prints.
 */
const asked = process.env.BAREWITNESS_PROPERTY_SEED ?? '20261128'
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: asked === 'random' ? Date.now() | 0 : Number.parseInt(asked, 10),
})
