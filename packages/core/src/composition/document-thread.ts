import { documentTasks } from '../domain/knowledge/ingestion/tasks.ts'
import { parseTasks } from '../platform/parsing/parse-tasks.ts'
import { serve } from '../platform/threads/serve.ts'

// Started as a thread of its own, by the name of its file.
serve({ ...parseTasks, ...documentTasks })
