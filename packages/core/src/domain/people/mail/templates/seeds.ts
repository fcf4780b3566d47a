import type { Transaction } from '../../../../kernel/context.ts'
import { EmailTemplate } from './entities.ts'
import { shippedTemplate } from './kinds.ts'

/** Creates the templates that are missing, and brings those that no one has changed to what the product says now. */
export async function seedEmailTemplates(txn: Transaction): Promise<void> {
  const kinds = [...txn.services.mailKinds.values()]
  const found = await txn.em.find(EmailTemplate, {
    tenantId: null,
    slug: { $in: kinds.map(({ slug }) => slug) },
  })
  const known = new Map(found.map((template) => [template.slug, template]))
  const now = txn.clock.date()
  const sendVia = txn.services.mail.ways[0]
  for (const kind of kinds) {
    const shipped = { ...shippedTemplate(kind), sendVia }
    const template = known.get(kind.slug)
    if (!template) {
      const state = { tenantId: null, isActive: true, isShipped: true, createdOn: now, updatedOn: now }
      txn.em.create(EmailTemplate, { id: txn.newId(), ...shipped, ...state })
    } else if (template.isShipped) {
      Object.assign(template, shipped)
    }
  }
}
