/** When a run started: its id names the minute. The sealing time where it does not. */
export function startedAt({ run, at }: { readonly run: string; readonly at: string }): string {
  const found = /^(\d{4})(\d{2})(\d{2})t(\d{2})(\d{2})z/.exec(run)
  if (found === null) return at
  const [, year, month, date, hour, minute] = found
  const started = `${year}-${month}-${date}T${hour}:${minute}:00.000Z`
  return Number.isNaN(Date.parse(started)) ? at : started
}
