import { z } from 'zod'

/*
 * Parts of the schemas of settings. They are functions, as the schemas are: a schema is made when its setting is given. To make
 * those of all settings takes a good part of the time in which a server starts.
 */

export const text = () => z.string().min(1, 'is empty')

export const webUrl = () =>
  z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })

/** A whole number, whose limits are added where it is used. */
export const whole = () => z.int('must be a whole number')
