import type { Liquid, Template } from 'liquidjs'
import { escapeHtml, oneLine } from './text.ts'

/** How a template is rendered: what goes into HTML is escaped. */
export type TemplateForm = 'text' | 'html'

/** What a template may take. Beyond that it is refused, so that no loop in a template holds up the server. */
const limits = {
  /** Characters of the source. */
  parseLimit: 200_000,
  /** Steps of loops, and characters and objects that filters create. */
  memoryLimit: 200_000,
  /** Milliseconds. */
  renderLimit: 1_000,
}
/** Characters of what comes out. */
const maxOutput = 500_000

/** Why a template cannot be used, for the person who wrote it. */
export class TemplateError extends Error {
  override name = 'TemplateError'
}

const engines = new Map<TemplateForm, Promise<Liquid>>()

/** Templates know nothing but their variables: no files, no other templates, nothing that objects inherit. */
function engineFor(form: TemplateForm): Promise<Liquid> {
  const known = engines.get(form)
  if (known) return known
  const engine = import('liquidjs').then(({ Liquid }) => {
    const made = new Liquid({
      ...limits,
      templates: {},
      ownPropertyOnly: true,
      strictFilters: true,
      // An absent text is as good as an empty one.
      jsTruthy: true,
      timezoneOffset: 'UTC',
      locale: 'en',
      ...(form === 'html' && { outputEscape: (value: unknown) => escapeHtml(String(value ?? '')) }),
    })
    for (const tag of ['include', 'render', 'layout', 'block']) delete made.tags[tag]
    // Words of other people: each paragraph of them begins a line or an element of its own.
    made.registerFilter('quoted', {
      raw: true,
      handler: (value: unknown) => {
        const paragraphs = String(value ?? '')
          .split(/\n\s*\n/)
          .map(oneLine)
          .filter((paragraph) => paragraph !== '')
        return form === 'html' ? paragraphs.map(escapeHtml).join('</p>\n<p>') : paragraphs.join('\n>\n> ')
      },
    })
    return made
  })
  engines.set(form, engine)
  return engine
}

/**
 * The names that a template takes from outside.
 * @throws TemplateError where it cannot be read
 */
export async function namesIn(source: string): Promise<string[]> {
  const engine = await engineFor('text')
  const parsed = parse(engine, source)
  try {
    return Object.keys(engine.analyzeSync(parsed).globals)
  } catch (error) {
    throw toTemplateError(error)
  }
}

/**
 * A template with its variables put in.
 * @throws TemplateError where it cannot be read, or takes more than a template may
 */
export async function renderTemplate(
  source: string,
  form: TemplateForm,
  values: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const engine = await engineFor(form)
  const parsed = parse(engine, source)
  let text: string
  try {
    text = engine.renderSync(parsed, { ...values }) as string
  } catch (error) {
    throw toTemplateError(error)
  }
  if (text.length > maxOutput) throw new TemplateError(`The text becomes longer than ${maxOutput} characters`)
  return text
}

function parse(engine: Liquid, source: string): Template[] {
  try {
    return engine.parse(source)
  } catch (error) {
    throw toTemplateError(error)
  }
}

/** The library's sentence names the line; what it shows of the source follows in further lines. */
function toTemplateError(error: unknown): TemplateError {
  const [sentence = ''] = (error as Error).message.split('\n')
  return new TemplateError(sentence, { cause: error })
}
