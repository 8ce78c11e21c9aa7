import type { Schedule } from '../../../schemas/types.ts'

/** What is kept beside the runs of a schedule. Its name is one that the schema allows: no path leads out of the folder. */
export const scheduleFolder = ({ out, name }: Pick<Schedule, 'out' | 'name'>): string => `${out}/schedules/${name}`

/** Held while a run of the schedule goes on. */
export const runningFolder = (schedule: Pick<Schedule, 'out' | 'name'>): string => `${scheduleFolder(schedule)}/running`
