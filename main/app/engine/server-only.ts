import { PORTAL_INPUTS, type PortalMethod } from '../../../schemas/ipc-portal.ts'
import { fail } from '../../core/failure.ts'
import type { Handlers } from './context.ts'

const refused = async () => fail('access.refused', 'packs are shared with auditors on a team server')

/** Methods that a team server answers by itself: a computer of one person has no portal for auditors. */
export const serverOnlyMethods = (): Pick<Handlers, PortalMethod> =>
  Object.fromEntries(Object.keys(PORTAL_INPUTS).map((method) => [method, refused])) as unknown as Pick<
    Handlers,
    PortalMethod
  >
