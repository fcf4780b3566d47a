import type { MigrationScript } from '../../platform/database/migrate.ts'

export const migration: MigrationScript = {
  name: '0030-conversations',
  up: {
    sqlite: [
      'create table `conversations` (`id` text not null primary key, `tenant_id` text not null, `user_id` text not null, `title` text not null, `last_message` text not null, `message_count` integer not null, `answer_id` text null, `answer_until` datetime null, `created_on` datetime not null, `updated_on` datetime not null)',
      'create index `conversations_by_user` on `conversations` (`user_id`, `updated_on`, `id`)',
      'create table `conversation_messages` (`id` text not null primary key, `tenant_id` text not null, `conversation_id` text not null, `role` text not null, `content` text not null, `sources` json not null, `file_ids` json not null, `unfinished` text null, `created_on` datetime not null)',
      'create index `conversation_messages_by_conversation` on `conversation_messages` (`conversation_id`, `id`)',
    ],
    postgresql: [
      'create table "conversations" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "user_id" varchar(26) not null, "title" varchar(255) not null, "last_message" varchar(255) not null, "message_count" int not null, "answer_id" varchar(26) null, "answer_until" timestamptz(3) null, "created_on" timestamptz(3) not null, "updated_on" timestamptz(3) not null, primary key ("id"))',
      'create index "conversations_by_user" on "conversations" ("user_id", "updated_on", "id")',
      'create table "conversation_messages" ("id" varchar(26) not null, "tenant_id" varchar(26) not null, "conversation_id" varchar(26) not null, "role" varchar(255) not null, "content" text not null, "sources" jsonb not null, "file_ids" jsonb not null, "unfinished" varchar(255) null, "created_on" timestamptz(3) not null, primary key ("id"))',
      'create index "conversation_messages_by_conversation" on "conversation_messages" ("conversation_id", "id")',
    ],
  },
  down: {
    sqlite: ['drop table `conversations`', 'drop table `conversation_messages`'],
    postgresql: ['drop table "conversations"', 'drop table "conversation_messages"'],
  },
}
