import type { MigrationScript } from '../../platform/database/migrate.ts'

const kept =
  'id, tenant_id, account_id, currency, daily_cap_micros, proposed_on, set_by_name, running_micros, running_on, updated_on'
const rest = kept.replaceAll(/\w+/g, 'l.$&').slice('l.id, '.length)

/**
 * A limit becomes one for each platform that the tenant has an account of this id at, under the id of a campaign of that account. Where
 * there is no such campaign any more, it is kept for all platforms, so that an account that comes back is not proposed a higher one: the
 * copies have another letter behind the time in their ids.
 */
const split = (position: string) => [
  `insert into ad_limits (platform, ${kept}) select m.platform, min(m.id), ${rest} from ad_limits_before l
   join campaign_mappings m on m.tenant_id = l.tenant_id and m.account_id = l.account_id group by m.platform, ${rest}`,
  `insert into ad_limits (platform, ${kept})
   select a.platform, substr(l.id, 1, 10) || substr('123456789ABCDEFGHJKMNPQRSTVWXYZ0123456789', a.place + ${position}, 1) || substr(l.id, 12), ${rest}
   from ad_limits_before l cross join (
     select 'search_ads' as platform, 1 as place union all select 'social_ads', 2 union all select 'professional_ads', 3
   ) a
   where not exists (select 1 from campaign_mappings m where m.tenant_id = l.tenant_id and m.account_id = l.account_id)`,
]

/** Back to one limit for an id, the lowest. */
const joined = `insert into ad_limits (${kept}) select ${kept} from (
  select ${kept}, row_number() over (partition by tenant_id, account_id order by daily_cap_micros, id) as place from ad_limits_before
) l where l.place = 1`

const sqliteTable = (columns: string) =>
  `create table \`ad_limits\` (\`id\` text not null primary key, \`tenant_id\` text not null, ${columns}\`account_id\` text not null, \`currency\` text not null, \`daily_cap_micros\` bigint not null, \`proposed_on\` text not null, \`set_by_name\` text null, \`running_micros\` bigint null, \`running_on\` datetime null, \`updated_on\` datetime not null)`
const postgresTable = (columns: string) =>
  `create table "ad_limits" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, ${columns}"account_id" varchar(255) not null, "currency" varchar(3) not null, "daily_cap_micros" bigint not null, "proposed_on" varchar(10) not null, "set_by_name" varchar(255) null, "running_micros" bigint null, "running_on" timestamptz(3) null, "updated_on" timestamptz(3) not null, primary key ("id"))`

/** The names of constraints are those of a table that was never another one. */
const setAside = {
  sqlite: ['alter table `ad_limits` rename to `ad_limits_before`', 'drop index `ad_limits_once`'],
  postgresql: [
    'alter table "ad_limits" drop constraint "ad_limits_once"',
    'alter table "ad_limits" rename to "ad_limits_before"',
    'alter table "ad_limits_before" rename constraint "ad_limits_pkey" to "ad_limits_before_pkey"',
  ],
}

export const migration: MigrationScript = {
  name: '0072-limits-by-platform',
  up: {
    sqlite: [
      ...setAside.sqlite,
      sqliteTable('`platform` text not null, '),
      'create unique index `ad_limits_once` on `ad_limits` (`tenant_id`, `platform`, `account_id`)',
      ...split("instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(l.id, 11, 1)) - 1"),
      'drop table `ad_limits_before`',
    ],
    postgresql: [
      ...setAside.postgresql,
      postgresTable('"platform" varchar(255) not null, '),
      'alter table "ad_limits" add constraint "ad_limits_once" unique ("tenant_id", "platform", "account_id")',
      ...split("strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(l.id, 11, 1)) - 1"),
      'drop table "ad_limits_before"',
    ],
  },
  down: {
    sqlite: [
      ...setAside.sqlite,
      sqliteTable(''),
      'create unique index `ad_limits_once` on `ad_limits` (`tenant_id`, `account_id`)',
      joined,
      'drop table `ad_limits_before`',
    ],
    postgresql: [
      ...setAside.postgresql,
      postgresTable(''),
      'alter table "ad_limits" add constraint "ad_limits_once" unique ("tenant_id", "account_id")',
      joined,
      'drop table "ad_limits_before"',
    ],
  },
}
