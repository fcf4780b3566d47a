import BetterSqlite from 'better-sqlite3'
import { H3, toNodeHandler } from 'h3'
import { listen, settings } from '../servers/answer.ts'

/** The rows of `GET /dm/v1/approvals` from one prepared statement, with nothing around it. */
const { database, tenantId, rows } = settings<{ database: string; tenantId: string; rows: number }>()

const db = new BetterSqlite(database.replace('sqlite:', ''), { readonly: true })
const approvals = db.prepare(
  `select a.id, a.tenant_id, t.name as tenant_name, a.title, a.type, a.risk_level, a.risk_rank, a.status, a.description, a.options,
     a.created_by_id, a.created_by_name, a.created_by_type, a.created_on, a.expires_at, a.resolved_at, a.resolved_by_id,
     a.resolved_by_name, a.resolution, a.resolution_note, a.content_hash
   from approvals a join tenants t on t.id = a.tenant_id where a.tenant_id = ? order by a.risk_rank, a.id limit ?`,
)
const app = new H3().get('/approvals', () => ({ data: approvals.all(tenantId, rows) }))
listen(toNodeHandler(app))
