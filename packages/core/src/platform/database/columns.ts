import { p } from '@mikro-orm/core'
import type { Dialect } from './database.ts'

/** A ULID that identifies the row. */
export const idColumn = () => p.string().length(26).primary()
/** A ULID of another row. Its integrity is kept by the service that owns that row. */
export const refColumn = () => p.string().length(26)
/** An instant in UTC, to the millisecond. */
export const instantColumn = () => p.datetime(3)
/** A calendar date, `YYYY-MM-DD`, without a zone. */
export const dateColumn = () => p.string().length(10)
/** Micro-dollars: one US dollar is 1,000,000. */
export const microsColumn = () => p.bigint('number')
/** A figure that another system may not count; it can be larger than 32 bits. */
export const figureColumn = () => p.bigint('number').strictNullable()
/** An amount in the smallest unit of its currency, such as cents. */
export const amountColumn = () => p.bigint('number')

/** The `options` of an index or unique constraint in whose place the other database has something that the ORM has no word for. */
export const onlyOn = (dialect: Dialect) => ({ dialect })
