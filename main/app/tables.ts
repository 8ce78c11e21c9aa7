import type { Assessment, Register } from '../../schemas/types.ts'
import type { Catalog } from '../core/catalog.ts'
import { controlsGrid } from '../core/formats/grids/controls.ts'
import { FINDINGS_COLUMNS, findingRows } from '../core/formats/grids/findings.ts'
import { type Grid, textRows } from '../core/formats/grids/grid.ts'
import { locationGrid } from '../core/formats/grids/location.ts'
import { populationGrid } from '../core/formats/grids/population.ts'
import { EMPTY_REGISTER } from '../core/register.ts'

/** The assessment as tables for people who live in spreadsheets. Plain rows of text; an adapter turns them into files. */
export type Table = readonly (readonly string[])[]

/** One row per node and check, with the exception that is in force over it. Each is made as it is asked for. */
export const findingsTable = (
  assessment: Assessment,
  catalog: Catalog,
  register: Register = EMPTY_REGISTER,
): Iterable<readonly string[]> => textRows(FINDINGS_COLUMNS, findingRows(assessment, catalog, register))

/** One row per control of each framework in scope, with its counts, its records and what was decided about it. */
export const controlsTable = (assessment: Assessment, catalog: Catalog, register: Register = EMPTY_REGISTER): Table =>
  tableOf(controlsGrid(assessment, catalog, register))

/** One row per node of the population, with the lists that it is on and the counts of its verdicts. */
export const populationTable = (assessment: Assessment): Table => tableOf(populationGrid(assessment))

/** One row per node: where it is said to be, what bears that out, and how far away it can be at most. */
export const locationTable = (assessment: Assessment): Table => tableOf(locationGrid(assessment))

const tableOf = ({ columns, rows }: Grid): Table => [...textRows(columns, rows)]
