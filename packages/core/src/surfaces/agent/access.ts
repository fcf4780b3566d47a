import { access } from '../../gateway/access.ts'

/** The agent of one run, with the token of its dispatch. */
export const agents = access({ roles: ['agent'], credentials: ['task'] })
/** A program with an API key, where no run is in progress. Any role: the tenant is the key's. */
export const keys = access({ roles: 'any', credentials: ['apikey'] })
/** Both are at home on this surface. */
export const anyAgent = access({ roles: 'any', credentials: ['task', 'apikey'] })
