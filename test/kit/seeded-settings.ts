import type { Client } from '@copydesk/client'
import { addPicture } from './pictures.ts'

/** What people set up before work begins: agents, skills, knowledge, goals, leads. */

const agentRole = 'social_writer'

/** The form of a skill that writers have. */
export function skillOf(name: string, text: string): FormData {
  const form = new FormData()
  const fields = { name, description: 'Read it before you write.', agentRoles: `${agentRole}, ads_writer` }
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([text], { type: 'text/markdown' }), 'skill.md')
  return form
}

/** Changes what agents start from, and gives them a skill. @returns the id of the skill */
export async function configure(operator: Client): Promise<string> {
  const params = { agentRole }
  await operator.call('admin', 'PATCH /agent-configs/:agentRole', { params, body: { defaultConcurrency: 3 } })
  const { id } = await operator.call('admin', 'POST /skills', {
    body: skillOf('House style', 'Plain words.'),
  })
  return id
}

/** Uploads texts to a dataset, by the names of their files. */
export function addKnowledge(
  by: Client,
  datasetId: string,
  files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
) {
  const body = new FormData()
  for (const [name, content] of Object.entries(files)) body.append('files', new Blob([content]), name)
  return by.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/files/upload', {
    params: { datasetId },
    body,
  })
}

/** Asks a question in a new conversation, and waits for the whole answer. */
export async function askChat(by: Client, message: string): Promise<string> {
  for await (const { event, data } of by.stream('dashboard', 'POST /chat/message', { body: { message } }))
    if (event === 'completed') return data.conversationId
  throw new Error('no answer came')
}

/** What a tenant wants to reach. */
const goal = {
  metric: 'pieces_finished',
  targetValue: 10,
  periodStart: '2026-04-01',
  periodEnd: '2026-06-30',
} as const

/** The same for the agents of one tenant, and what it sets for all of its work. @returns the id of the skill */
export async function configureOwn(admin: Client, name: string): Promise<string> {
  const params = { agentRole }
  await admin.call('dashboard', 'PATCH /agents/:agentRole', { params, body: { concurrency: 4 } })
  await admin.call('tenant', 'PUT /context', {
    body: { company: { name: 'Bakers', description: name }, bannedPhrases: [name] },
  })
  await admin.call('tenant', 'PUT /strategy', { body: { content: name } })
  const file = new FormData()
  file.append('file', new Blob([JSON.stringify(name)]), `${name}.txt`)
  await admin.call('tenant', 'POST /documents', { body: file })
  await addPicture(admin, name)
  const { data } = await admin.call('dashboard', 'GET /knowledge-base/datasets')
  await addKnowledge(admin, data[0]?.id ?? '', { [`${name}.md`]: `# ${name}\n\nBaked overnight.` })
  await admin.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/crawl', {
    params: { datasetId: data[0]?.id ?? '' },
    body: {
      startUrl: `https://site.example/${encodeURIComponent(name)}`,
      scheduleFor: '2999-01-01T00:00:00.000Z',
    },
  })
  await admin.call('tenant', 'POST /goals', { body: { ...goal, title: name } })
  await askChat(admin, `What is ${name}?`)
  await admin.call('dashboard', 'POST /leads', { body: { firstName: 'Lea', lastName: name, notes: name } })
  await addLeads(admin, name)
  await admin.call('dashboard', 'PUT /approvals/hours', {
    body: { days: [1, 2, 3, 4, 5], from: '08:00', until: '17:00' },
  })
  const { id } = await admin.call('dashboard', 'POST /skills', { body: skillOf('Tone of voice', name) })
  return id
}

/** A lead, an import of another one beside a line that is none, and a form. */
async function addLeads(admin: Client, name: string): Promise<void> {
  await admin.call('dashboard', 'POST /leads', {
    body: { firstName: 'Lea', lastName: name, notes: name },
  })
  const body = new FormData()
  body.append('source', name)
  body.append('file', new Blob([`firstName,lastName,email\nLeo,${name},\nLou,${name},${name}`]), 'leads.csv')
  await admin.call('dashboard', 'POST /leads/import', { body })
  await admin.call('dashboard', 'POST /lead-forms', {
    body: { name, allowedOrigins: ['https://site.example'] },
  })
}
