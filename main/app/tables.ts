import type { Assessment, Period, Register } from '../../schemas/types.ts'
import type { Catalog } from '../core/catalog.ts'
import { EMPTY_REGISTER } from '../core/register.ts'
import { complementaryPeriodGrid } from '../present/formats/grids/complementary-controls.ts'
import { controlsGrid } from '../present/formats/grids/controls.ts'
import { findingsGrid } from '../present/formats/grids/findings.ts'
import { type Grid, textRows } from '../present/formats/grids/grid.ts'
import { locationGrid } from '../present/formats/grids/location.ts'
import { populationGrid } from '../present/formats/grids/population.ts'
import { RESULTS_COLUMNS, resultRows } from '../present/formats/grids/results.ts'
import { jiraGrid, serviceNowGrid, type TicketInput } from '../present/formats/grids/tickets.ts'
import type { FormatInput } from '../present/formats/input.ts'

/** The assessment as tables for spreadsheets. Plain lines of text; an adapter turns them into files. */
export type Table = readonly (readonly string[])[]

/** One line per finding. */
export const findingsTable = (input: Pick<FormatInput, 'catalog' | 'remediations' | 'shown'>): Table =>
  tableOf(findingsGrid(input))

/** One line per node and check, with the risk acceptance in effect. Each is generated on demand. */
export const resultsTable = (
  input: Pick<FormatInput, 'assessment' | 'catalog' | 'register' | 'shown'>,
): Iterable<readonly string[]> => textRows(RESULTS_COLUMNS, resultRows(input))

/** One line per control of each framework in scope, with its counts, documents and control decisions. */
export const controlsTable = (assessment: Assessment, catalog: Catalog, register: Register = EMPTY_REGISTER): Table =>
  tableOf(controlsGrid(assessment, catalog, register))

/** One line per node of the population, with the lists that contain it and the counts of its verdicts. */
export const populationTable = (assessment: Assessment): Table => tableOf(populationGrid(assessment))

/** One line per node: its declared location, the supporting evidence, and its maximum distance. */
export const locationTable = (assessment: Assessment): Table => tableOf(locationGrid(assessment))

/** One line per finding for the CSV imports of Jira and of ServiceNow. */
export const jiraTable = (input: TicketInput): Table => tableOf(jiraGrid(input))
export const serviceNowTable = (input: TicketInput): Table => tableOf(serviceNowGrid(input))

/** One line per control that a report of a provider expects of customers, or that a subservice organization operates. */
export const complementaryTable = (period: Period, catalog: Catalog): Table =>
  tableOf(complementaryPeriodGrid(period, catalog))

const tableOf = ({ columns, rows }: Grid): Table => [...textRows(columns, rows)]
