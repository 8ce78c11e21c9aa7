import type { Schedule } from '../../../schemas/types.ts'

/**
 * Files stored next to the runs of a schedule. Its name is one that the schema allows: no path leads out of the folder.
 */
export const scheduleFolder = ({ out, name }: Pick<Schedule, 'out' | 'name'>): string => `${out}/schedules/${name}`

/** Locked while a run of the schedule is in progress. */
export const runningFolder = (schedule: Pick<Schedule, 'out' | 'name'>): string => `${scheduleFolder(schedule)}/running`
