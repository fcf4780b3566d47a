import { tooManyPages } from './faults.ts'
import { createBlockList, parsingLimits } from './limits.ts'
import { mainPart, partsOf, propertiesOf, type Relation, relationsOf } from './ooxml.ts'
import type { Block, ParsedDocument } from './parsed.ts'
import type { DocumentSource } from './source.ts'
import { markdownTable } from './tables.ts'
import { childOf, childrenOf, descendantsOf, readXml, type XmlElement } from './xml.ts'
import { openZip, type ZipEntries } from './zip.ts'

/**
 * Reads a presentation: the title of each slide is a heading, its shapes and notes are texts, and the page of each block is the
 * number of its slide. Slides that are not shown are left out.
 * @throws ParseFault
 */
export async function parsePptx(source: DocumentSource): Promise<ParsedDocument> {
  using zip = await openZip(source)
  const main = await mainPart(zip, 'ppt/presentation.xml')
  const presentation = await readXml(zip.stream(main))
  const slides = partsOf(childrenOf(childOf(presentation, 'sldIdLst'), 'sldId'), await relationsOf(zip, main))
  if (slides.length > parsingLimits.pages) throw tooManyPages(slides.length, parsingLimits.pages, 'slides')
  const list = createBlockList()
  for (const [at, { part }] of slides.entries()) {
    if (part === undefined || !zip.has(part)) continue
    for (const block of await readSlide(zip, part)) {
      if (block.kind === 'table') list.countCells(block.text.split(' | ').length)
      list.add({ ...block, page: at + 1 })
    }
  }
  return { kind: 'pptx', ...(await propertiesOf(zip)), pages: slides.length, blocks: list.blocks }
}

async function readSlide(zip: ZipEntries, part: string): Promise<Block[]> {
  const slide = await readXml(zip.stream(part))
  if (slide.attributes['show'] === '0') return []
  const shapes = shapesOf(slide)
  const isTitle = (shape: XmlElement) => /^(?:ctrT|t)itle$/.test(placeholderOf(shape))
  const title = shapes
    .filter(isTitle)
    .flatMap((shape) => linesOf(shape))
    .map(({ text }) => text)
    .join(' ')
  return [
    { kind: 'heading', level: 1, text: title },
    ...shapes.filter((shape) => !isTitle(shape)).flatMap(readShape),
    ...(await readNotes(zip, await relationsOf(zip, part))),
  ]
}

async function readNotes(zip: ZipEntries, relations: ReadonlyMap<string, Relation>): Promise<Block[]> {
  const part = [...relations.values()].find(({ type }) => type === 'notesSlide')?.part
  if (part === undefined || !zip.has(part)) return []
  const shapes = shapesOf(await readXml(zip.stream(part)))
  return shapes.filter((shape) => placeholderOf(shape) === 'body').flatMap(readShape)
}

/** The shapes of a slide, also those in groups, in the order in which they were drawn. */
function shapesOf(slide: XmlElement): XmlElement[] {
  const within = (element: XmlElement): XmlElement[] =>
    element.children.flatMap((child) => {
      if (child.name === 'sp' || child.name === 'graphicFrame') return [child]
      return child.name === 'grpSp' || child.name === 'AlternateContent' || child.name === 'Choice'
        ? within(child)
        : []
    })
  const tree = childOf(childOf(slide, 'cSld'), 'spTree')
  return tree ? within(tree) : []
}

/** What a shape is for, such as `title`, `body` or `sldNum`; empty for a shape of its own. */
function placeholderOf(shape: XmlElement): string {
  const [placeholder] = descendantsOf(shape, 'ph')
  return placeholder ? (placeholder.attributes['type'] ?? 'body') : ''
}

function readShape(shape: XmlElement): Block[] {
  const placeholder = placeholderOf(shape)
  if (/^(?:sldNum|dt|ftr|hdr)$/.test(placeholder)) return []
  const [table] = descendantsOf(shape, 'tbl')
  if (table) return [{ kind: 'table', text: markdownTable(rowsOf(table)) }]
  const lines = linesOf(shape)
  const isList = placeholder !== '' && lines.length > 1
  const text = lines.map(({ text, level }) => (isList ? `${'  '.repeat(level)}- ${text}` : text)).join('\n')
  return [{ kind: 'text', text }]
}

const rowsOf = (table: XmlElement) =>
  childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc').map((cell) =>
      linesOf(cell)
        .map(({ text }) => text)
        .join(' '),
    ),
  )

/** The paragraphs of a shape that have text, with how far they are indented. */
function linesOf(shape: XmlElement): Array<{ text: string; level: number }> {
  return descendantsOf(shape, 'p').flatMap((paragraph) => {
    const text = paragraph.children
      .map((run) => (run.name === 'br' ? '\n' : (childOf(run, 't')?.text ?? '')))
      .join('')
      .replace(/\s+/g, ' ')
      .trim()
    const level = Math.min(8, Number(childOf(paragraph, 'pPr')?.attributes['lvl'] ?? 0) || 0)
    return text === '' ? [] : [{ text, level }]
  })
}
