import { serve } from '../threads/serve.ts'
import { layout, type PdfInfo } from './layout.ts'

const tasks = { make: ({ markdown, info }: { markdown: string; info: PdfInfo }) => layout(markdown, info) }
export type PdfTasks = typeof tasks

// Started as a thread of its own, by the name of its file.
serve(tasks)
