import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

/** Providers or prices are not what they were; the subject is the provider or the model. */
export const modelsChanged = defineEvent('models_changed', z.object({}))
