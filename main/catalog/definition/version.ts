/** Version of the catalog's content. Rises whenever a probe, a check's rule or a mapping changes. */
export const CATALOG_VERSION = '0.17.0'
