import { DomainError, invalid } from '../../../kernel/errors.ts'
import type { SkillReference } from './entities.ts'
import { skillDescription, skillName } from './schemas.ts'

/** A file as it was uploaded. */
export interface SkillFile {
  name: string
  bytes(): Promise<Uint8Array>
}

/** The files of a form: the skill, and what it refers to. */
export interface SkillFiles {
  file: readonly SkillFile[]
  references: readonly SkillFile[]
}

/** What a Markdown file says about a skill; name and description stand in its front matter, if anywhere. */
export interface SkillSource {
  name?: string
  description?: string
  /** The whole text as it came, front matter and white space included. */
  content: string
}

const frontMatter = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/
/** Longer front matter than this is a mistake, or no front matter. */
const maxFrontMatter = 16 * 1024

/**
 * Reads a skill in Markdown, and what its front matter says; what it says beside `name` and `description` is ignored.
 * @param field where the text stands, for the message
 * @throws DomainError `VALIDATION_ERROR` when there is no text, or the front matter cannot be read
 */
export async function parseSkill(text: string, field: string): Promise<SkillSource> {
  const { said, body } = await split(text, field)
  if (body.trim() === '') throw invalid(field, 'There is no text in it')
  return {
    content: text,
    ...taken(said.get('name'), 'name', skillName, field),
    ...taken(said.get('description'), 'description', skillDescription, field),
  }
}

/** What an agent reads of a skill: its text without the front matter. */
export async function skillBody(content: string): Promise<string> {
  try {
    return (await split(content, 'content')).body.trim()
  } catch {
    // What was stored without its front matter may begin with lines that look like one.
    return content
  }
}

async function split(text: string, field: string): Promise<{ said: Map<string, unknown>; body: string }> {
  const [whole = '', yaml] = frontMatter.exec(text) ?? []
  const said = yaml === undefined ? undefined : await readFrontMatter(yaml, field)
  // Two lines of dashes with a text between them are just that.
  return said ? { said, body: text.slice(whole.length) } : { said: new Map(), body: text }
}

/** @returns undefined where the text is no map of names */
async function readFrontMatter(yaml: string, field: string): Promise<Map<string, unknown> | undefined> {
  const fault = (message: string) => invalid(field, `Its front matter cannot be read: ${message}`)
  if (yaml.length > maxFrontMatter) throw fault('it is longer than 16 KiB')
  const { parseDocument } = await import('yaml')
  try {
    // Every value stays text, no tag makes an object, and nothing is repeated by alias.
    const document = parseDocument(yaml, { schema: 'failsafe', logLevel: 'silent' })
    const [error] = document.errors
    if (error) throw error
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 })
    return value instanceof Map ? (value as Map<string, unknown>) : value === null ? new Map() : undefined
  } catch (error) {
    throw fault((error as Error).message.split('\n')[0] ?? 'it is no YAML')
  }
}

function taken(
  value: unknown,
  name: 'name' | 'description',
  schema: typeof skillName,
  field: string,
): Partial<SkillSource> {
  if (value === undefined || value === '') return {}
  const result = schema.safeParse(value)
  if (result.success) return { [name]: result.data }
  throw invalid(field, `"${name}" in its front matter: ${result.error.issues[0]?.message}`)
}

/**
 * The texts of uploaded files.
 * @throws DomainError `VALIDATION_ERROR` for what is not text in UTF-8
 */
export async function readFiles({ file, references }: SkillFiles): Promise<{
  source?: SkillSource
  references?: SkillReference[]
}> {
  const [first] = file
  const texts: SkillReference[] = []
  for (const one of references) texts.push({ name: one.name, content: await textOf(one, 'references') })
  return {
    ...(first && { source: await parseSkill(await textOf(first, 'file'), 'file') }),
    ...(texts.length > 0 && { references: texts }),
  }
}

async function textOf(file: SkillFile, field: string): Promise<string> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.bytes())
    if (!text.includes('\0')) return text
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  throw invalid(field, `${file.name} is not a text in UTF-8`)
}

/**
 * The size of a skill with its references in bytes, as they were uploaded.
 * @throws DomainError `PAYLOAD_TOO_LARGE` above `limit`; `VALIDATION_ERROR` for two references of one name
 */
export function sizeOf(
  skill: { content: string; references: readonly SkillReference[] },
  limit: number,
): number {
  const names = skill.references.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw invalid('references', `Two references are called ${twice}`)
  const size = [skill, ...skill.references].reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  if (size <= limit) return size
  throw new DomainError(
    'PAYLOAD_TOO_LARGE',
    `The skill is larger than ${limit / 1024} KiB with its references`,
    {
      field: 'content',
    },
  )
}
