import { serve } from '../platform/threads/serve.ts'
import { textTasks } from './text-tasks.ts'

// Started as a thread of its own, by the name of its file.
serve(textTasks)
