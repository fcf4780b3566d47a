import { tooLarge } from './faults.ts'
import { createBlockList, parsingLimits } from './limits.ts'
import { mainPart, partsOf, propertiesOf, relationsOf } from './ooxml.ts'
import type { ParsedDocument } from './parsed.ts'
import type { DocumentSource } from './source.ts'
import { createTableWriter } from './tables.ts'
import { numberFormats, rowValues, stringOf, type WorkbookContext } from './xlsx-values.ts'
import { childOf, childrenOf, elementsOf, readXml } from './xml.ts'
import { openZip, type ZipEntries } from './zip.ts'

/**
 * Reads a workbook: the name of each sheet is a heading, its rows are tables whose header is the first row. Values are those that
 * were last calculated. Sheets that are not shown are left out.
 * @throws ParseFault
 */
export async function parseXlsx(source: DocumentSource): Promise<ParsedDocument> {
  using zip = await openZip(source)
  const main = await mainPart(zip, 'xl/workbook.xml')
  const workbook = await readXml(zip.stream(main))
  const relations = await relationsOf(zip, main)
  const partOf = (type: string) => [...relations.values()].find((relation) => relation.type === type)?.part
  const styles = partOf('styles')
  const context: WorkbookContext = {
    shared: await readSharedStrings(zip, partOf('sharedStrings')),
    formats: styles !== undefined && zip.has(styles) ? numberFormats(await readXml(zip.stream(styles))) : [],
    from1904: /^(?:1|true)$/.test(childOf(workbook, 'workbookPr')?.attributes['date1904'] ?? ''),
  }
  const list = createBlockList()
  for (const { element, part } of partsOf(childrenOf(childOf(workbook, 'sheets'), 'sheet'), relations)) {
    const { name = '', state = 'visible' } = element.attributes
    if (state !== 'visible' || part === undefined || !zip.has(part)) continue
    const table = createTableWriter(list, { heading: name })
    for await (const row of elementsOf(zip.stream(part), 'row')) table.row(rowValues(row, context))
    table.end()
  }
  return { kind: 'xlsx', ...(await propertiesOf(zip)), pages: null, blocks: list.blocks }
}

async function readSharedStrings(zip: ZipEntries, part: string | undefined): Promise<string[]> {
  if (part === undefined || !zip.has(part)) return []
  const strings: string[] = []
  for await (const element of elementsOf(zip.stream(part), 'si')) {
    if (strings.length >= parsingLimits.tableCells)
      throw tooLarge(parsingLimits.tableCells, 'different values')
    strings.push(stringOf(element))
  }
  return strings
}
