import { leftTable, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Output } from '../content/entities.ts'
import { Approval } from './entities.ts'
import type { ReviewerApprovalItem } from './schemas.ts'

export const a = table(Approval, 'a')
const t = table(Tenant, 't')
const shown = leftTable(Output, 'shown')

const columns = {
  id: a.id,
  tenantId: a.tenantId,
  tenantName: t.name,
  ...pick(
    a,
    'title',
    'type',
    'riskLevel',
    'status',
    'description',
    'options',
    'createdById',
    'createdByName',
    'createdByType',
    'createdOn',
    'expiresAt',
    'dueAt',
    'claimedById',
    'claimedByName',
    'claimedUntil',
    'resolvedAt',
    'resolvedById',
    'resolvedByName',
    'resolution',
    'resolutionNote',
    'contentHash',
  ),
  checks: shown.checks,
  ...pick(a, 'edited', 'forwardedTo', 'forwardedFrom', 'replacedBy'),
}

/** An approval as lists show it, and the same with the version that it shows. */
export const item = select(columns)
export const detail = select({ ...columns, outputId: a.outputId })
export const from = `from ${a} join ${t} on t.id = a.tenant_id left join ${shown} on shown.id = a.output_id`

/** Field by field: taking a row apart with rest patterns costs more than reading it. */
export function toApproval(row: RowOf<typeof item>, now: number): ReviewerApprovalItem {
  const { claimedUntil, dueAt, description, options, resolvedAt, resolution, resolutionNote, contentHash } =
    row
  const { checks, edited, forwardedTo, forwardedFrom, replacedBy } = row
  const isClaimed = row.status === 'pending' && claimedUntil !== null && claimedUntil.getTime() > now
  return {
    id: row.id,
    tenantId: row.tenantId,
    tenantName: row.tenantName,
    title: row.title,
    type: row.type,
    riskLevel: row.riskLevel,
    status: row.status,
    linkedActivities: [],
    createdBy: { id: row.createdById, name: row.createdByName, type: row.createdByType },
    createdOn: row.createdOn,
    expiresAt: row.expiresAt,
    ...(dueAt && { dueAt }),
    ...(isClaimed && {
      claimedBy: { id: row.claimedById ?? '', name: row.claimedByName ?? '' },
      claimedUntil,
    }),
    ...(description && { description }),
    ...(options && { options }),
    ...(resolvedAt && { resolvedAt }),
    ...(row.resolvedById && { resolvedBy: { id: row.resolvedById, name: row.resolvedByName ?? '' } }),
    ...(resolution && { resolution }),
    ...(resolutionNote && { resolutionNote }),
    ...(contentHash && { contentHash }),
    ...(checks && { checks }),
    ...(edited && { edited }),
    ...(forwardedTo && { forwardedTo }),
    ...(forwardedFrom && { forwardedFrom }),
    ...(replacedBy && { replacedBy }),
  }
}
