export { default, metadata } from '../../../../content/[id]/page'
