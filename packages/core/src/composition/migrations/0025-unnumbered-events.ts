import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * Gives numbers to at most so many events that wait for one, in the order of their ids, and returns these events. One act of the
 * server: whoever asks for it may be paused or killed at any moment and leaves no lock behind. Each statement inside sees what
 * was committed before it began, so the second to come numbers what the first has left.
 */
const numberEvents = `create function "copydesk_number_events"(most int) returns setof "event" language plpgsql as $$
begin
  if not exists (select from event_unnumbered) then
    return;
  end if;
  perform pg_advisory_xact_lock(7261);
  return query
    with taken as (
      delete from event_unnumbered u
      where u.id in (select w.id from event_unnumbered w order by w.id limit most)
      returning u.*
    ),
    numbered as (
      insert into event (seq, tenant_id, type, subject, data, at)
      select greatest((select max(e.seq) from event e), (select max(m.pruned) from event_mark m), 0)
          + row_number() over (order by t.id), t.tenant_id, t.type, t.subject, t.data, t.at
      from taken t
      returning *
    )
    select * from numbered;
end $$`

export const migration: MigrationScript = {
  name: '0025-unnumbered-events',
  up: {
    sqlite: [
      'create table `event_unnumbered` (`id` integer not null primary key autoincrement, `tenant_id` text null, `type` text not null, `subject` text not null, `data` json not null, `at` datetime not null)',
    ],
    postgresql: [
      'create table "event_unnumbered" ("id" bigserial primary key, "tenant_id" varchar(26) null, "type" varchar(80) not null, "subject" varchar(255) not null, "data" jsonb not null, "at" timestamptz(3) not null)',
      // A row lives for milliseconds, so the dead are many times the living.
      'alter table "event_unnumbered" set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)',
      numberEvents,
    ],
  },
  down: {
    sqlite: ['drop table if exists `event_unnumbered`'],
    postgresql: [
      'select count(*) from "copydesk_number_events"(2147483647)',
      // From here on the numbers are counted up by the column again.
      `select setval(pg_get_serial_sequence('event', 'seq'), (select greatest(max("seq"), (select max("pruned") from "event_mark"), 0) + 1 from "event"), false)`,
      'drop function "copydesk_number_events"(int)',
      'drop table if exists "event_unnumbered" cascade',
    ],
  },
}
