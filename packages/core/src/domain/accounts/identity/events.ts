import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

const nothing = z.object({})

/** The subject is a user, a session or an API key whose access has ended. */
export const accessRevoked = defineEvent('access_revoked', nothing)
/** The subject is a user or a tenant whose access was given back. */
export const accessRestored = defineEvent('access_restored', nothing)
/** The subject is a user who has other tenants or another role than before. Awaited: streams that show too much end before the command returns. */
export const accessChanged = defineEvent('access_changed', nothing, { awaited: true })
