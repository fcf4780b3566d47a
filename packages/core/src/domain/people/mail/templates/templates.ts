import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../../kernel/transact.ts'
import { ConfigVersion } from '../../../../kernel/versions/entities.ts'
import { getVersion, listVersions } from '../../../../kernel/versions/queries.ts'
import { saveVersion, type VersionSubject, versionData } from '../../../../kernel/versions/save.ts'
import type { VersionListQuery, VersionQuery } from '../../../../kernel/versions/schemas.ts'
import { checkTemplate } from './check.ts'
import { EmailTemplate, type EmailTemplateRow } from './entities.ts'
import { getEmailTemplate, isReplaced, maxTemplates, tenantExists } from './queries.ts'
import type { EmailTemplateChanges, EmailTemplateDetail, NewEmailTemplate } from './schemas.ts'

/**
 * Creates a template, with `tenantId` in place of that of the installation. Serves `POST /admin/v1/email-templates`.
 * @throws DomainError `VALIDATION_ERROR`; `NOT_FOUND` on `tenantId`; `CONFLICT` when its owner has one of that slug;
 *   `UNPROCESSABLE` for a tenant's without one that it replaces, for one too many, and for a way out that is not configured
 */
export function createEmailTemplate(
  ctx: Ctx,
  { tenantId = null, ...given }: Omit<NewEmailTemplate, 'tenantId'> & { tenantId?: string | null },
): Promise<EmailTemplateDetail> {
  return transact(ctx, async (txn) => {
    const { slug } = given
    await checkTemplate(txn, given)
    if (tenantId !== null) {
      if (!(await tenantExists(txn, tenantId))) throw notFound('tenant', { field: 'tenantId' })
      if (!(await txn.em.findOne(EmailTemplate, { slug, tenantId: null })))
        throw new DomainError(
          'UNPROCESSABLE',
          `There is no template “${slug}” of the installation that this tenant could have its own in place of`,
          { field: 'slug' },
        )
    }
    if ((await txn.em.count(EmailTemplate, { tenantId })) >= maxTemplates)
      throw new DomainError('UNPROCESSABLE', `There are ${maxTemplates} templates already; delete one`)
    const now = txn.clock.date()
    const state = { tenantId, isActive: true, isShipped: false, createdOn: now, updatedOn: now }
    const template = txn.em.create(EmailTemplate, { id: txn.newId(), ...given, ...state })
    await flushOnce(
      txn,
      new DomainError('CONFLICT', `There is a template “${slug}” already`, { field: 'slug' }),
    )
    const version = await saveVersion(txn, { ...versionsOf(template), after: dataOf(template) })
    audit(txn, template, { after: { ...summaryOf(template), version } })
    await txn.em.flush()
    return getEmailTemplate(txn, template.id)
  })
}

/**
 * Changes a template; what is not named stays. Serves `PATCH /admin/v1/email-templates/:templateId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR`; `UNPROCESSABLE` for a way out that is not configured
 */
export function changeEmailTemplate(
  ctx: Ctx,
  id: string,
  changes: EmailTemplateChanges,
): Promise<EmailTemplateDetail> {
  return change(ctx, id, () => Promise.resolve(changes))
}

/** Puts a version of a template back, as a new version. @throws DomainError as `changeEmailTemplate` */
export function restoreEmailTemplate(ctx: Ctx, id: string, version: number): Promise<EmailTemplateDetail> {
  return change(
    ctx,
    id,
    (txn, template) => versionData(txn, versionsOf(template), version),
    `Version ${version} put back`,
  )
}

function change(
  ctx: Ctx,
  id: string,
  read: (txn: Transaction, template: EmailTemplateRow) => Promise<EmailTemplateChanges>,
  note?: string,
): Promise<EmailTemplateDetail> {
  return transact(ctx, async (txn) => {
    const template = await lock(txn, id)
    const before = { data: dataOf(template), since: template.updatedOn }
    const was = summaryOf(template)
    const changes = await read(txn, template)
    Object.assign(template, { ...changes, isShipped: false, updatedOn: txn.clock.date() })
    await checkTemplate(txn, template)
    const after = dataOf(template)
    const version = await saveVersion(txn, {
      ...versionsOf(template),
      before,
      after,
      ...(note !== undefined && { note }),
    })
    audit(txn, template, { before: was, after: { ...summaryOf(template), version } })
    await txn.em.flush()
    return getEmailTemplate(txn, id)
  })
}

/**
 * Deletes a template with its versions; mails of its kind say what the next one in line says. Serves `DELETE /admin/v1/email-templates/:templateId`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` for one of the installation that tenants have their own in place of
 */
export function deleteEmailTemplate(ctx: Ctx, id: string): Promise<{ deleted: true }> {
  return transact(ctx, async (txn) => {
    const template = await lock(txn, id)
    if (template.tenantId === null && (await isReplaced(txn, template.slug)))
      throw new DomainError(
        'CONFLICT',
        'Tenants have templates of their own in place of this one; delete those first',
      )
    audit(txn, template, { before: summaryOf(template) })
    await txn.em.nativeDelete(ConfigVersion, versionsOf(template))
    txn.em.remove(template)
    return { deleted: true as const }
  })
}

/** @throws DomainError `NOT_FOUND` */
export async function emailTemplateHistory(ctx: Ctx, id: string, query?: Partial<VersionListQuery>) {
  return listVersions(ctx, await subjectOf(ctx, id), query)
}

/** @throws DomainError `NOT_FOUND` */
export async function emailTemplateVersion(ctx: Ctx, id: string, version: number, query?: VersionQuery) {
  return getVersion(ctx, await subjectOf(ctx, id), version, query)
}

async function subjectOf(ctx: Ctx, id: string): Promise<VersionSubject> {
  return versionsOf(await getEmailTemplate(ctx, id))
}

async function lock(txn: Transaction, id: string): Promise<EmailTemplateRow> {
  const found = await txn.em.findOne(EmailTemplate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!found) throw notFound('email template')
  return found
}

const versionsOf = ({ id, tenantId }: { id: string; tenantId: string | null }): VersionSubject => ({
  kind: 'email_template',
  subjectId: id,
  tenantId,
})

/** What a version of a template holds. */
function dataOf({ name, subject, bodyHtml, bodyText, variables, ...more }: EmailTemplateRow) {
  const { category, isActive, sendVia } = more
  return { name, subject, bodyHtml, bodyText, variables, category, isActive, sendVia }
}

/** A template for the audit: its texts stand in its versions. */
const summaryOf = ({ slug, name, subject, category, isActive, sendVia }: EmailTemplateRow) => ({
  slug,
  name,
  subject,
  category,
  isActive,
  sendVia,
})

function audit(
  txn: Transaction,
  { id, tenantId }: EmailTemplateRow,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({ tenantId, resourceType: 'email_template', resourceId: id, ...what })
}
