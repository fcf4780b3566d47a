import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

/** One line in one person's inbox; the subject is the person. */
export const notificationAdded = defineEvent('notification', z.object({ notificationId: z.string() }))
