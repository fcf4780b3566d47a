import { findPostgres } from '../config/postgres.ts'
import { installationIn } from './installation.ts'
import { ingestion, recrawl } from './knowledge-ingestion.ts'
import { largeDocuments, longestText } from './knowledge-large.ts'
import { searchOn } from './knowledge-search.ts'
import type { Bench, Metrics, Size } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { temporaryFolder } from './processes.ts'

/** Search of a knowledge base on both databases, how documents come into it, also very large ones, and a website that has not changed. */
export const knowledge: Bench = {
  name: 'knowledge',
  long: true,
  async run(size, say) {
    const search = await searches(size, say)
    using documents = temporaryFolder()
    const ingested = await ingestion(installationIn(documents.path), documents.path, size)
    say('  ingested')
    using large = temporaryFolder()
    const ofLarge = await largeDocuments(installationIn(large.path), large.path, size)
    say('  ingested large documents')
    using long = temporaryFolder()
    const ofLongest = await longestText(installationIn(long.path), long.path)
    using website = temporaryFolder()
    return {
      ...search,
      ...ingested,
      ...ofLarge,
      ...ofLongest,
      ...(await recrawl(installationIn(website.path))),
    }
  },
}

async function searches({ chunks }: Size, say: (line: string) => void): Promise<Metrics> {
  using folder = temporaryFolder()
  const onSqlite = await searchOn('sqlite', installationIn(folder.path), chunks, say)
  const postgres = await findPostgres()
  if (postgres.url === undefined) return onSqlite
  try {
    const onPostgres = await inDatabase(postgres.url, (database) =>
      searchOn('postgresql', installationIn(folder.path, database), chunks, say),
    )
    return { ...onSqlite, ...onPostgres }
  } finally {
    await postgres.stop()
  }
}
