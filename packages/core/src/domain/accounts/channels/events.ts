import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

const channel = z.object({ channelId: z.string(), channelType: z.string() })

export const channelConnected = defineEvent('channel_connected', channel, { webhook: true })
export const channelDisconnected = defineEvent('channel_disconnected', channel, { webhook: true })
