import { type ZipContent, zipOf } from './zip.ts'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const sheetNames = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${office}"`
const slideNames = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${office}"`

/** The relations of a part: types and targets, with the ids r1, r2 and so on. */
function relations(all: ReadonlyArray<[type: string, target: string]>): string {
  const list = all.map(
    ([type, target], at) => `<Relationship Id="r${at + 1}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`
}

const properties = (title: string) =>
  `${declaration}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`

const contentTypes = `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`

/** A paragraph of a Word document. @param style the id of one of `Heading1` and `Heading2`, or `List` for an item of a list */
export function wordParagraph(text: string, style?: 'Heading1' | 'Heading2' | 'List'): string {
  const look =
    style === 'List'
      ? '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
      : `<w:pStyle w:val="${style}"/>`
  return `<w:p>${style ? `<w:pPr>${look}</w:pPr>` : ''}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

export const wordTable = (rows: ReadonlyArray<readonly string[]>): string =>
  `<w:tbl>${rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`

/** A Word document. @param more parts that are added, or replace others */
export function docxOf(body: string, more: Record<string, ZipContent> = {}): Buffer {
  return zipOf({
    '[Content_Types].xml': contentTypes,
    '_rels/.rels': relations([['officeDocument', 'word/document.xml']]),
    'docProps/core.xml': properties('The plan'),
    'word/document.xml': `${declaration}<w:document ${w}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `${declaration}<w:styles ${w}><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>`,
    'word/numbering.xml': `${declaration}<w:numbering ${w}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    ...more,
  })
}

export interface TestSheet {
  name: string
  /** The rows in the XML of the format. */
  rows: string
  hidden?: boolean
}

/** A workbook. @param formats the number formats of the styles 0, 1, … as the format numbers them */
export function xlsxOf(
  sheets: readonly TestSheet[],
  { strings = [] as string[], formats = [] as number[] } = {},
): Buffer {
  const targets = sheets.map((_, at): [string, string] => ['worksheet', `worksheets/sheet${at + 1}.xml`])
  const listed = sheets.map(
    ({ name, hidden }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at + 1}"${hidden ? ' state="hidden"' : ''}/>`,
  )
  return zipOf({
    '[Content_Types].xml': contentTypes,
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${declaration}<workbook ${sheetNames}><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...targets,
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
    ]),
    'xl/sharedStrings.xml': `${declaration}<sst ${sheetNames}>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `${declaration}<styleSheet ${sheetNames}><cellXfs>${formats.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ rows }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${declaration}<worksheet ${sheetNames}><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  })
}

export interface TestSlide {
  title?: string
  /** Paragraphs of the body. */
  lines?: readonly string[]
  /** Further shapes in the XML of the format. */
  shapes?: string
  notes?: string
  hidden?: boolean
}

const slideText = (lines: readonly string[]) =>
  `<p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join('')}</p:txBody>`

const shape = (type: string, lines: readonly string[]) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr>${slideText(lines)}</p:sp>`

export const slideTable = (rows: ReadonlyArray<readonly string[]>): string =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows
    .map((row) => `<a:tr>${row.map((cell) => `<a:tc>${slideText([cell])}</a:tc>`).join('')}</a:tr>`)
    .join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`

/** A presentation. */
export function pptxOf(slides: readonly TestSlide[]): Buffer {
  const tree = (shapes: string) => `<p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>`
  const parts = slides.flatMap(
    ({ title, lines, shapes = '', notes, hidden }, at): Array<[string, string]> => {
      const content =
        (title ? shape('title', [title]) : '') +
        (lines ? shape('body', lines) : '') +
        shapes +
        shape('sldNum', [`${at + 1}`])
      const slide: [string, string] = [
        `ppt/slides/slide${at + 1}.xml`,
        `${declaration}<p:sld ${slideNames}${hidden ? ' show="0"' : ''}>${tree(content)}</p:sld>`,
      ]
      if (notes === undefined) return [slide]
      return [
        slide,
        [
          `ppt/slides/_rels/slide${at + 1}.xml.rels`,
          relations([['notesSlide', `../notesSlides/notesSlide${at + 1}.xml`]]),
        ],
        [
          `ppt/notesSlides/notesSlide${at + 1}.xml`,
          `${declaration}<p:notes ${slideNames}>${tree(shape('body', [notes]))}</p:notes>`,
        ],
      ]
    },
  )
  return zipOf({
    '[Content_Types].xml': contentTypes,
    '_rels/.rels': relations([['officeDocument', 'ppt/presentation.xml']]),
    'docProps/core.xml': properties('The pitch'),
    // In the reverse of the order of the files' names.
    'ppt/presentation.xml': `${declaration}<p:presentation ${slideNames}><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="r${slides.length - at}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      slides.map((_, at) => ['slide', `slides/slide${slides.length - at}.xml`]),
    ),
    ...Object.fromEntries(parts),
  })
}
