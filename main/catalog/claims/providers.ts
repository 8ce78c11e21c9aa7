import type { ProviderProfile } from '../../../schemas/types.ts'
import { COMMON_STATEMENTS } from './common-statements.ts'
import { HOSTRUNWAY } from './hostrunway.ts'
import { ONESOURCE_CLOUD } from './onesource-cloud.ts'
import { RACKBANK } from './rackbank.ts'

/** What providers claim in public, as data: one file each, next to this one. To add one, add its line here. */
export const PROVIDERS: readonly ProviderProfile[] = [ONESOURCE_CLOUD, HOSTRUNWAY, RACKBANK, COMMON_STATEMENTS]
