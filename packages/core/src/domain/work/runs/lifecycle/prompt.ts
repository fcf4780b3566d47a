import { pieceKinds, type StructuredBrief } from '@copydesk/writer'
import type { Transaction } from '../../../../kernel/context.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { PromptPlaceholder } from '../../../agents/configuration/settings.ts'
import { Activity, type ActivityRow } from '../../activities/entities.ts'
import { brandOf } from '../../brand/context.ts'
import { aboutBrand, brandWords } from '../../brand/words.ts'
import { Campaign, Deliverable } from '../../campaigns/entities.ts'
import { contentKind, latestEdits, latestFeedback, notesOn } from '../../content/feedback.ts'
import { subjectOf } from '../../content/requests/complete.ts'
import { latestOutput } from '../../content/versions.ts'
import { strategyOf } from '../../strategy/strategy.ts'
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
  const deliverable = activity.deliverableId
    ? await txn.em.findOne(Deliverable, { id: activity.deliverableId })
    : null
  const brand = await brandOf(txn, activity.tenantId)
  const prior = await latestOutput(txn, activity.id)
  const sources = await earlierSteps(txn, activity)
  const remembered = await latestFeedback(txn, activity.tenantId, contentKind(activity))
  const edits = await latestEdits(txn, activity.tenantId, contentKind(activity))
  const note = run.wakeNote.reviewerFeedback ?? run.wakeNote.rejectionNote
  const lessons = remembered.filter((text) => text !== note)

  const sections: Array<[string, string | undefined]> = [
    ['Task', activity.inputPrompt],
    ['The brand', brand ? aboutBrand(brand) : undefined],
    ['The strategy', await strategyOf(txn, activity.tenantId)],
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
      platforms: deliverable?.platformIds ?? [],
      variant: (activity.piece ?? 1) - 1,
      feedback: await notesOn(txn, activity.id),
      ...(priorText && { priorText }),
      ...(campaign ? await subjectOf(txn, activity) : { topic: activity.inputPrompt }),
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

/** Fills `{{name}}` placeholders; an unknown one is left out. */
export function fill<N extends string = PromptPlaceholder>(
  template: string,
  values: Record<N, string>,
): string {
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(values, name) ? values[name as N] : '',
  )
}
