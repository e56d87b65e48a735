import { NotFoundPanel } from '@/core/ui/not-found-panel'

// Below the layout: the app shell stays when a link leads to a page that is gone.
export default NotFoundPanel
