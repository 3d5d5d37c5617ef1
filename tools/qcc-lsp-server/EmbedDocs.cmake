# Writes each of some files as a string of C++: cmake -DDOCUMENTS=FILES -DOUTPUT=FILE -P EmbedDocs.cmake
set(strings "")
foreach(document ${DOCUMENTS})
  file(READ ${document} text)
  string(APPEND strings "R\"qccdoc(${text})qccdoc\",\n")
endforeach()
file(WRITE ${OUTPUT} "${strings}")
