import type { EndpointInfo } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { datesOutside, type InputField, inputFields, isForDates } from '../kit/input-fields.ts'

/** Read from the schemas of every endpoint: nothing that is sent in is without an end. */

const endpoints = describeSurfaces()

/** Every field of every endpoint that is of interest and fails. */
function failing(wrong: (field: InputField, info: EndpointInfo) => boolean): string[] {
  return endpoints.flatMap((info) =>
    inputFields(info)
      .filter((field) => wrong(field, info))
      .map(({ where, path }) => `${info.id} ${where} ${path.join('.')}`),
  )
}

const typeOf = ({ schema }: InputField) => schema._zod.def.type

describe('the inputs of all endpoints', () => {
  it('contain dates, so that this test covers something', () => {
    expect(endpoints.flatMap(inputFields).filter(isForDates).length).toBeGreaterThan(20)
  })

  it.each(datesOutside)('accept no date outside of 1970 to 2999: %s', (date) => {
    expect(failing((field) => isForDates(field) && field.schema.safeParse(date).success)).toEqual([])
  })

  it.each(['1970-01-01', '2999-12-31', '1970-01-01T00:00:00.000Z', '2999-12-31T23:59:59.999Z'])(
    'accept the first and the last date: %s',
    (date) => {
      const form = date.length === 10 ? '2026-04-10' : '2026-04-10T09:30:00Z'
      const refuses = ({ schema }: InputField) =>
        schema.safeParse(form).success && !schema.safeParse(date).success
      expect(failing((field) => isForDates(field) && refuses(field))).toEqual([])
    },
  )

  it('have no date field that accepts any text', () => {
    const named =
      /(^|\.|[a-z])(date|day|month|until|since)$|[a-z](Date|At|On|Until|Since|Month)$|^(periodStart|periodEnd|scheduleFor)$/
    expect(
      failing(
        (field) =>
          typeOf(field) === 'string' &&
          named.test(field.path.at(-1) ?? '') &&
          field.schema.safeParse('some text').success,
      ),
    ).toEqual([])
  })

  it('limit every number in both directions', () => {
    const taken = (field: InputField) =>
      typeOf(field) === 'number' &&
      [1e308, -1e308, 2 ** 53 - 1, -(2 ** 53 - 1)].some((value) => field.schema.safeParse(value).success)
    expect(failing(taken)).toEqual([])
  })

  it('accept no invalid number', () => {
    const none = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 'NaN', 'Infinity', '1e308']
    expect(
      failing(
        (field) => typeOf(field) === 'number' && none.some((value) => field.schema.safeParse(value).success),
      ),
    ).toEqual([])
  })

  it('limit the length of every list', () => {
    const endless = ({ schema }: InputField) =>
      !(schema._zod.def.checks ?? []).some(
        (check) => check._zod.def.check === 'max_length' || check._zod.def.check === 'length_equals',
      )
    expect(failing((field) => typeOf(field) === 'array' && endless(field))).toEqual([])
  })
})
