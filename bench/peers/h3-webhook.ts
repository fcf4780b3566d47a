import { createHmac, timingSafeEqual } from 'node:crypto'
import { H3, HTTPError, toNodeHandler } from 'h3'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { listen, settings } from '../servers/answer.ts'

/** A webhook that checks the signature and keeps the body by one durable statement, once for each event; nothing is applied. */
const { database, secret } = settings<{ database: string; secret: string }>()

const db = await openDatabase({ url: database, entities: jobEntities, migrations: [], log: silentLogger })
await db.write((tx) =>
  tx.run('create table if not exists kept_events (id text primary key, body text not null)'),
)

const app = new H3().post('/pg/v1/webhook', async ({ req }) => {
  const body = Buffer.from(await req.arrayBuffer())
  const given = Buffer.from(req.headers.get('x-paymentprovider-signature') ?? '', 'hex')
  const own = createHmac('sha256', secret).update(body).digest()
  if (given.length !== own.length || !timingSafeEqual(given, own)) throw new HTTPError({ status: 401 })
  const text = body.toString()
  const { id } = JSON.parse(text) as { id: string }
  await db.write((tx) =>
    tx.run('insert into kept_events (id, body) values (?, ?) on conflict do nothing', [id, text]),
  )
  return { received: true }
})
listen(toNodeHandler(app))
