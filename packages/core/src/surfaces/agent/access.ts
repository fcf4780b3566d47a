import { access } from '../../gateway/access.ts'

/** The agent of one run, with the token of its dispatch. */
export const agents = access({ roles: ['agent'], credentials: ['task'] })
/** A program with an API key, when no run is active. Any role: the tenant is the key's. */
export const keys = access({ roles: 'any', credentials: ['apikey'] })
/** Both kinds of callers of this surface. */
export const anyAgent = access({ roles: 'any', credentials: ['task', 'apikey'] })
