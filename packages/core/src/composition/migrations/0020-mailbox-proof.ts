import type { MigrationScript } from '../../platform/database/migrate.ts'

/**
 * What is open was sent with the one link that the inviter was given too, so that link proves no mailbox. Accounts that came by
 * such a link, and those of registered tenants, were proved by nobody; what they have stays theirs.
 */
const steps = [
  "update invitations set handed_token_hash = token_hash, token_hash = 'none:' || id where accepted_on is null and revoked_on is null",
  "update users set mailbox_proof = 'none' where email in (select email from invitations where accepted_on is not null) or id in (select actor_id from audit_records where resource_type = 'registration' and tenant_id is not null)",
]
const back = [
  "update invitations set token_hash = handed_token_hash where handed_token_hash is not null and token_hash like 'none:%'",
]

export const migration: MigrationScript = {
  name: '0020-mailbox-proof',
  up: {
    sqlite: [
      'create table `pending_grants` (`id` text not null primary key, `user_id` text not null, `tenant_id` text null, `role` text null, `granted_by` text not null, `created_on` datetime not null)',
      'create unique index `pending_grants_once` on `pending_grants` (`user_id`, `tenant_id`)',
      'alter table `invitations` add column `handed_token_hash` text null',
      'create unique index `invitations_handed_token` on `invitations` (`handed_token_hash`)',
      'alter table `tenants` add column `registered` integer not null default false',
      'alter table `tenants` add column `awaits_proof` integer not null default false',
      "alter table `users` add column `mailbox_proof` text not null default 'operator'",
      'alter table `users` add column `proof_asked_on` datetime null',
      ...steps,
      "update tenants set registered = 1 where id in (select tenant_id from audit_records where resource_type = 'registration')",
    ],
    postgresql: [
      'create table "pending_grants" ("id" varchar(26) not null, "user_id" varchar(26) not null, "tenant_id" varchar(26) null, "role" varchar(255) null, "granted_by" varchar(255) not null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'alter table "pending_grants" add constraint "pending_grants_once" unique ("user_id", "tenant_id")',
      'alter table "invitations" add "handed_token_hash" varchar(64) null',
      'alter table "invitations" add constraint "invitations_handed_token" unique ("handed_token_hash")',
      'alter table "tenants" add "registered" boolean not null default false, add "awaits_proof" boolean not null default false',
      'alter table "users" add "mailbox_proof" varchar(255) not null default \'operator\', add "proof_asked_on" timestamptz(3) null',
      ...steps,
      "update tenants set registered = true where id in (select tenant_id from audit_records where resource_type = 'registration')",
    ],
  },
  down: {
    sqlite: [
      ...back,
      'drop table if exists `pending_grants`',
      'drop index `invitations_handed_token`',
      'alter table `invitations` drop column `handed_token_hash`',
      'alter table `tenants` drop column `registered`',
      'alter table `tenants` drop column `awaits_proof`',
      'alter table `users` drop column `mailbox_proof`',
      'alter table `users` drop column `proof_asked_on`',
    ],
    postgresql: [
      ...back,
      'drop table if exists "pending_grants" cascade',
      'alter table "invitations" drop constraint "invitations_handed_token"',
      'alter table "invitations" drop column "handed_token_hash"',
      'alter table "tenants" drop column "registered", drop column "awaits_proof"',
      'alter table "users" drop column "mailbox_proof", drop column "proof_asked_on"',
    ],
  },
}
