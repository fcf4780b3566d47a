import type { MigrationScript } from '../../platform/database/migrate.ts'

const drop = 'drop table if exists "knowledge_vectors"'

/**
 * Vectors in the form of pgvector are in a table of that name. A database may lack this extension, or get it later, so the table is made by the
 * job that embeds files again, when the extension is there. A step of the schema only sees to it that no other table has its name, and that
 * it goes with the schema.
 */
export const migration: MigrationScript = {
  name: '0073-knowledge-vectors',
  up: { sqlite: [drop], postgresql: [drop] },
  down: { sqlite: [drop], postgresql: [drop] },
}
