export { default, metadata } from '../../../../content/publish/page'
