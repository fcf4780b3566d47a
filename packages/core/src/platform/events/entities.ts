import { defineEntity, p } from '@mikro-orm/core'

/** The columns of an event, whether it has a number or not. */
const whatHappened = () => ({
  tenantId: p.string().length(26).strictNullable(),
  type: p.string().length(80),
  subject: p.string().length(255),
  data: p.json().$type<Record<string, unknown>>(),
  at: p.datetime(3),
})

/** An event as a row; read and written by the statements of this folder only. */
export const EventRow = defineEntity({
  name: 'EventRow',
  tableName: 'event',
  properties: {
    /** SQLite says `integer` of any key that it counts up itself. */
    seq: p.bigint('number').primary().autoincrement().ignoreSchemaChanges('type'),
    ...whatHappened(),
  },
  indexes: [
    { name: 'event_tenant', properties: ['tenantId', 'seq'] },
    { name: 'event_subject', properties: ['subject', 'seq'] },
    // Few among many: each server looks for those of the last minutes when it starts.
    {
      name: 'event_access',
      properties: ['at'],
      where: "type in ('access_revoked', 'access_restored')",
    },
  ],
})

/**
 * PostgreSQL only: an event that has no number yet. Writers insert these without waiting for each other; each process that has
 * committed some then has the database number all that are committed, in one short transaction.
 */
export const UnnumberedEvent = defineEntity({
  name: 'UnnumberedEvent',
  tableName: 'event_unnumbered',
  properties: {
    /** Grows from what caused something to what was caused; that of a transaction still open is missing. */
    id: p.bigint('number').primary().autoincrement().ignoreSchemaChanges('type'),
    ...whatHappened(),
  },
})

/** One row: everything up to and with this number has been pruned. */
export const EventMark = defineEntity({
  name: 'EventMark',
  tableName: 'event_mark',
  properties: {
    id: p.integer().primary().autoincrement(false),
    pruned: p.bigint('number'),
  },
})

export const eventEntities = [EventRow, UnnumberedEvent, EventMark]
