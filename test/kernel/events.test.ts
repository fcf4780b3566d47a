import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { workEvents } from '../../packages/core/src/domain/work/events.ts'
import { defineEvent, eventsFor, toNewEvent, webhookEventsOf } from '../../packages/core/src/kernel/events.ts'
import { dataByType } from '../../packages/core/src/kernel/streams.ts'

const opened = defineEvent('shop_opened', z.object({ shopId: z.string() }), {
  audiences: ['tenant'],
  webhook: true,
})
const counted = defineEvent('till_counted', z.object({ sum: z.number() }), { audiences: ['reviewers'] })
const events = [opened, counted] as const

describe('defineEvent', () => {
  it('stores declared fields only', () => {
    const data = { shopId: 'one', secret: 's3cret' }
    expect(toNewEvent(opened, { tenantId: 't', subject: 'one', data })).toEqual({
      tenantId: 't',
      type: 'shop_opened',
      subject: 'one',
      data: { shopId: 'one' },
    })
  })

  it('rejects data of another shape', () => {
    const wrong = { tenantId: 't', subject: 'one', data: { shopId: 1 } as never }
    expect(() => toNewEvent(opened, wrong)).toThrow('expected string')
  })

  it('names the recipients of an event', () => {
    expect(eventsFor(events, 'tenant')).toEqual([opened])
    expect(eventsFor(events, 'reviewers')).toEqual([counted])
    expect(webhookEventsOf(events)).toEqual([opened])
  })

  it('declares for a stream the schemas of its events, with the fields that the stream adds', () => {
    const schemas = dataByType(events, { deepLink: z.string() })
    expect(Object.keys(schemas)).toEqual(['shop_opened', 'till_counted'])
    expect(Object.keys(schemas.till_counted.shape)).toEqual(['sum', 'deepLink'])
  })

  it('has unique event names', () => {
    const types = workEvents.map(({ type }) => type)
    expect(new Set(types).size).toBe(types.length)
  })
})
