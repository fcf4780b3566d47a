import type { TestApp } from '../kit/app.ts'
import type { Answer } from '../kit/operator.ts'

export interface SkillForm {
  /** The text of the Markdown file; without one none is sent. */
  file?: string | Uint8Array<ArrayBuffer>
  fileName?: string
  type?: string
  /** Texts by file name. */
  references?: Record<string, string>
  name?: string
  description?: string
  agentRoles?: string
}

/** The form in which a skill is uploaded. */
export function skillForm(given: SkillForm): FormData {
  const { file, fileName = 'skill.md', type = 'text/markdown', references = {}, ...fields } = given
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file !== undefined) form.append('file', new Blob([file], { type }), fileName)
  for (const [name, text] of Object.entries(references))
    form.append('references', new Blob([text], { type }), name)
  return form
}

/** Sends the form of a skill and takes the answer apart. */
export async function sendForm(
  app: Pick<TestApp, 'fetch'>,
  method: string,
  path: string,
  token: string,
  form: SkillForm,
): Promise<Answer> {
  const response = await app.fetch(path, {
    method,
    headers: { authorization: `Bearer ${token}` },
    body: skillForm(form),
  })
  const text = await response.text()
  const json = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, code: json?.error?.code, field: json?.error?.field, json, text }
}

/** A form that is right for an agent or several. */
export const toneSkill = {
  file: '# Tone\n\nWarm and plain.',
  name: 'Tone of voice',
  description: 'Read it before you write anything that customers see.',
  agentRoles: 'blog_writer, social_writer',
} satisfies SkillForm
