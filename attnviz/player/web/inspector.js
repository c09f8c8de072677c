// placeholder until the inspector
function toggleInspector() {} function zoomInspector() {} function closeInspector() {} function inspectorKey() { return false; }
function followInspector() {} function drawMarks() {} function listenToInspector() {} function inspectAt() { return false; }
