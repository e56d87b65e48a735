import { NotFoundPanel } from '@/core/ui/not-found-panel'

export default NotFoundPanel
