import type { Services } from '../kernel/services.ts'
import type { Database } from '../platform/database/database.ts'
import type { Finding, Look } from './finding.ts'

/** A finding for each platform that is set up; that none is set up is no fault. */
export async function lookAtPush({ push }: Services, look: Look): Promise<Finding[]> {
  if (push.platforms.length === 0) {
    const message = 'not set up: notifications wait in the inbox and reach no device'
    return [{ name: 'push', ok: true, message }]
  }
  const remedy = 'Check its keys and that this machine reaches the service.'
  return Promise.all(
    push.platforms.map((platform) => look(`push ${platform}`, () => push.check(platform), remedy)),
  )
}

/** Asks for the account, which sends nothing; that no service is set up is no fault. */
export async function lookAtSms({ sms }: Services, look: Look): Promise<Finding> {
  const name = 'text messages'
  if (!sms) return { name, ok: true, message: 'not set up: customers are asked for reviews by e-mail only' }
  return look(
    name,
    () => sms.check(),
    'Check sms in the configuration and that this machine reaches the service.',
  )
}

/** Embeds one word, since only a vector says how many dimensions there are. */
export async function lookAtEmbeddings({ embedder }: Services, db: Database, look: Look): Promise<Finding> {
  const name = 'embeddings'
  if (!embedder) return { name, ok: true, message: 'none configured: keyword search only' }
  return look(
    name,
    async () => {
      await embedder.embed(['Copydesk'], { purpose: 'query' })
      const vectors = await db.vectors()
      const where =
        vectors.by === undefined
          ? `in this process, because ${vectors.missing}`
          : `by ${vectors.by} where memory cannot hold them`
      return `${embedder.model} (${embedder.provider}) answers with ${embedder.dimensions} dimensions, compared ${where}`
    },
    'Check embeddings in the configuration and that its server or folder is there; until then search goes by keywords only.',
  )
}

/** Ranks one word, since servers that have no such model answer other requests. */
export async function lookAtRerank({ reranker }: Services, look: Look): Promise<Finding> {
  const name = 'rerank'
  if (!reranker) return { name, ok: true, message: 'none configured: results stay in the order of search' }
  return look(
    name,
    async () => {
      await reranker.score('Copydesk', ['Copydesk'])
      return `${reranker.model} (${reranker.provider}) answers with scores`
    },
    'Check rerank in the configuration and that its server is there; until then results stay in the order of search.',
  )
}

/** Who takes payments; that no one does is no fault. */
export function lookAtPayments({ payments }: Services): Finding {
  const name = 'payments'
  if (!payments) return { name, ok: true, message: 'manual: a super-admin marks tenants as paid' }
  const told = payments.events ? 'it reports by POST /pg/v1/webhook' : 'it reports nothing by itself'
  return { name, ok: true, message: `${payments.name} takes them; ${told}` }
}
