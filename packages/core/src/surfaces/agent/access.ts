import { access } from '../../gateway/access.ts'

/** The agent of one run, with the token of its dispatch. */
export const agents = access({ roles: ['agent'], credentials: ['task'] })
