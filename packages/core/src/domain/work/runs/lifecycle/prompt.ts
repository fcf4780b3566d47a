import { pieceKinds, type StructuredBrief } from '@copydesk/writer'
import type { Transaction } from '../../../../kernel/context.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { PromptPlaceholder } from '../../../agents/configuration/settings.ts'
import { Activity, type ActivityRow } from '../../activities/entities.ts'
import { brandOf } from '../../brand/context.ts'
import { aboutBrand, brandWords } from '../../brand/words.ts'
import { Campaign, Deliverable } from '../../campaigns/entities.ts'
import { materialOf, orderOf } from '../../campaigns/workflow/material.ts'
import { contentKind, latestEdits, latestFeedback, notesOn } from '../../content/feedback.ts'
import { subjectOf } from '../../content/requests/complete.ts'
import { latestOutput } from '../../content/versions.ts'
import { strategyOf } from '../../strategy/strategy.ts'
import { fill } from '../commands/template.ts'
import type { RunRow } from '../entities.ts'

/** Everything that an agent is told for one run, in words and as data. */
export interface Assignment {
  prompt: string
  systemPrompt: string
  priorOutput?: string
  brief: StructuredBrief
}

/** Puts together what the agent gets: the brief, the step, what earlier steps made, what people said. */
export async function assignment(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  agent: EffectiveAgent,
): Promise<Assignment> {
  const tenant = await txn.em.findOneOrFail(Tenant, { id: activity.tenantId })
  const campaign = activity.campaignId ? await txn.em.findOne(Campaign, { id: activity.campaignId }) : null
  const { tenantId, deliverableId } = activity
  const ofKind = contentKind(activity)
  // None of these waits for another, so they make one journey.
  const [deliverable, brand, strategy, prior, sources, remembered, edits, notes, subject] = await Promise.all(
    [
      deliverableId ? txn.em.findOne(Deliverable, { id: deliverableId }) : null,
      brandOf(txn, tenantId),
      strategyOf(txn, tenantId),
      latestOutput(txn, activity.id),
      earlierSteps(txn, activity),
      latestFeedback(txn, tenantId, ofKind),
      latestEdits(txn, tenantId, ofKind),
      notesOn(txn, activity.id),
      campaign ? subjectOf(txn, activity) : { topic: activity.inputPrompt },
    ],
  )
  const note = run.wakeNote.reviewerFeedback ?? run.wakeNote.rejectionNote
  const lessons = remembered.filter((text) => text !== note)

  const sections: Array<[string, string | undefined]> = [
    ['Task', activity.inputPrompt],
    ['The brand', brand ? aboutBrand(brand) : undefined],
    ['The strategy', strategy],
    ['Campaign brief', campaign?.brief],
    ...sources.map(({ title, text }): [string, string] => [`From the step “${title}”`, text]),
    ['Your last version', prior?.text],
    ['What the reviewer said about it', note],
    ['Chosen by the reviewer', run.wakeNote.selectedOption],
    ['Result of the subtask', run.wakeNote.subtaskOutput],
    ['A comment for you', run.wakeNote.comment],
    [
      'What this client said about earlier pieces of this kind',
      lessons.map((text) => `- ${text}`).join('\n') || undefined,
    ],
    [
      'What this client changed with their own hands in earlier pieces of this kind',
      edits.map((text) => `- ${text}`).join('\n') || undefined,
    ],
  ]
  const priorText = prior?.text ?? sources.at(-1)?.text
  const kind = activity.deliverableType
  const order = campaign && (await orderOf(txn, activity))
  return {
    prompt: sections.flatMap(([title, text]) => (text ? [`# ${title}\n\n${text}`] : [])).join('\n\n'),
    systemPrompt: fill<PromptPlaceholder>(agent.adapterConfig.promptTemplate, {
      ...brandWords(brand, tenant.name),
      campaign: campaign?.name ?? 'no campaign',
      deliverable: (activity.deliverableType ?? activity.type).replaceAll('_', ' '),
      role: agent.name,
    }),
    ...(prior && { priorOutput: prior.text }),
    brief: {
      campaign: campaign?.name ?? activity.title,
      ...(campaign && { markdown: campaign.brief }),
      ...(kind && pieceKinds.includes(kind) && { deliverable: kind }),
      step: { kind: activity.type, title: activity.title },
      platforms: deliverable?.platformIds ?? (order ? (campaign.channels ?? []) : []),
      variant: (activity.piece ?? 1) - 1,
      feedback: notes,
      ...(priorText && { priorText }),
      ...subject,
      ...(order && materialOf(order, campaign, brand)),
    },
  }
}

async function earlierSteps(
  txn: Transaction,
  activity: ActivityRow,
): Promise<Array<{ title: string; text: string }>> {
  if (activity.dependsOn.length === 0) return []
  const steps = await txn.em.find(
    Activity,
    { id: { $in: activity.dependsOn } },
    { orderBy: { stepNumber: 'asc' } },
  )
  const found = []
  for (const step of steps) {
    const output = await latestOutput(txn, step.id)
    if (output) found.push({ title: step.title, text: output.text })
  }
  return found
}
