import { z } from 'zod'

/** A decimal number as a text, such as `12.34`, in millionths. */
export const decimalMicros = z
  .string()
  .regex(/^\d{1,10}(?:\.\d{1,20})?$/)
  .transform((text) => Math.round(Number(text) * 1_000_000))
