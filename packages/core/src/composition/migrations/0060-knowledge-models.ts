import type { MigrationScript } from '../../platform/database/migrate.ts'

/** Of the chunks that are searched: no model where one of them has no vector, or one of another model. */
const ofChunks =
  'update knowledge_files set model = (select case when count(c.model) = count(*) and min(c.model) = max(c.model) then min(c.model) end from knowledge_chunks c where c.file_id = knowledge_files.id and c.version = knowledge_files.version) where version > 0'

export const migration: MigrationScript = {
  name: '0060-knowledge-models',
  up: {
    sqlite: ['alter table `knowledge_files` add column `model` text null', ofChunks],
    postgresql: ['alter table "knowledge_files" add "model" varchar(255) null', ofChunks],
  },
  down: {
    sqlite: ['alter table `knowledge_files` drop column `model`'],
    postgresql: ['alter table "knowledge_files" drop column "model"'],
  },
}
